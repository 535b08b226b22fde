import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { later } from "../support/cleanup.ts";
import { inTime } from "../support/waiting.ts";
import type { Said, StartClient, World } from "./world.ts";

/** A client in another language. Its process sends real requests, and reads the time of the history in a file. */

export interface Driver {
  /** Runs a driver with the client of a file. */
  readonly command: readonly string[];
  /** Whether one process makes several payments at once. */
  readonly hasThreads: boolean;
}

/** Each call goes to one of the languages, which is drawn. */
export function startPrograms(languages: readonly Driver[]): StartClient {
  /** Processes that have nothing to do. They are for the next client: the start of one takes most of the time of a history. */
  const idle: Worker[] = [];
  later(() => end(idle));
  function takeWorker(language: Driver): Worker {
    const index = idle.findIndex((one) => one.language === language);
    const [worker = startWorker(language)] = index < 0 ? [] : idle.splice(index, 1);
    return worker;
  }
  return (world) => {
    /** What lets the client go on, in order: one at a time, so that a seed gives the same history again. */
    const due: (() => void)[] = [];
    const turn = () =>
      new Promise<void>((resolve) => {
        due.push(resolve);
      });
    let rested = Promise.withResolvers<void>();
    const rest = () => rested.resolve();
    const service = serviceOf(world);
    service.use(rest, turn);
    const workers: Worker[] = [];
    return {
      async call(name, ...args) {
        const url = await service.url;
        await turn();
        const { apiKey: key, apiSecret: secret, paymentAccountId: account, folder } = world;
        const language = languages[languages.length > 1 ? world.draw(languages.length) : 0] as Driver;
        const isFree = (one: Worker) => one.language === language && (language.hasThreads || one.jobs.size === 0);
        let worker = workers.find(isFree);
        if (!worker) {
          worker = takeWorker(language);
          worker.begin({ url, key, secret, account, folder }, rest);
          workers.push(worker);
        }
        return worker.run({ name, args });
      },
      async goOn() {
        const next = due.shift();
        if (!next) return false;
        rested = Promise.withResolvers();
        writeFileSync(`${world.folder}/now`, String(world.nowMs() / 1000));
        if (world.isDiskFull()) writeFileSync(`${world.folder}/full`, "");
        else rmSync(`${world.folder}/full`, { force: true });
        next();
        await inTime(rested.promise, () => "the client does not go on");
        return true;
      },
      kill() {
        due.length = 0;
        idle.push(...workers.filter(({ jobs }) => jobs.size === 0));
        end(workers.filter(({ jobs }) => jobs.size > 0));
        workers.length = 0;
        service.drop();
      },
    };
  };
}

function end(workers: readonly Worker[]): void {
  for (const { child } of workers) child.kill("SIGKILL");
}

type Service = ReturnType<typeof serve>;

const services = new WeakMap<World, Service>();

/** One for a history: an order names the address of its service. */
function serviceOf(world: World): Service {
  const service = services.get(world) ?? serve(world);
  services.set(world, service);
  return service;
}

/** What a process asks for beside the service. */
const ACTS = {
  sleep: ({ after }: World, ms: number) =>
    new Promise<void>((resolve) => {
      after(ms, resolve);
    }),
  still: ({ standStill }: World) => standStill("look"),
};

/** The service and the time, for the processes of a client. A request is answered when it is its turn. */
function serve(world: World) {
  let rest = () => {};
  let turn = async () => {};
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { url = "", method = "GET" } = request;
    const body = (await request.toArray()).join("");
    const myTurn = turn;
    rest();
    const [, act, seconds] = /^\/(sleep|still)\/(.*)/.exec(url) ?? [];
    if (act) {
      await ACTS[act as keyof typeof ACTS](world, Number(seconds) * 1000);
      await myTurn();
      return response.end("0");
    }
    if (url === "/v2/stkpush.php") await world.standStill("push");
    if (request.socket.destroyed) return;
    const headers = request.headers as Record<string, string>;
    const came = await world.send(url, { method, headers, ...(body && { body }) }).catch(() => null);
    const text = await came?.text();
    await myTurn();
    if (!came) return request.socket.destroy();
    return response.writeHead(came.status, Object.fromEntries(came.headers)).end(text);
  }
  const server = createServer((request, response) => void answer(request, response));
  const { promise: url, resolve } = Promise.withResolvers<string>();
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const drop = () => server.closeAllConnections();
  world.atEnd(() => {
    drop();
    server.close();
  });
  return {
    url,
    /** @param nextRest says that the process waits @param nextTurn waits until the process may go on */
    use(nextRest: () => void, nextTurn: () => Promise<void>): void {
      rest = nextRest;
      turn = nextTurn;
    },
    drop,
  };
}

type Worker = ReturnType<typeof startWorker>;

function startWorker(language: Driver) {
  const child = Bun.spawn([...language.command], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const jobs = new Map<number, PromiseWithResolvers<Said>>();
  let started = 0;
  let rest = () => {};
  async function read(): Promise<void> {
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (text + part).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { job, said } = JSON.parse(line);
        if (typeof said === "string") jobs.get(job)?.reject(new Error(said));
        else jobs.get(job)?.resolve(said);
        jobs.delete(job);
        rest();
      }
    }
    await child.exited;
    if (child.signalCode === "SIGKILL") return;
    const why = new Error(`${language.command[0]} ended: ${text}${await new Response(child.stderr).text()}`);
    for (const { reject } of jobs.values()) reject(why);
    rest();
  }
  void read();
  function write(line: object): void {
    void child.stdin.write(`${JSON.stringify(line)}\n`);
    void child.stdin.flush();
  }
  return {
    language,
    child,
    jobs,
    /** A new client, as in a new process. */
    begin(world: object, nextRest: () => void): void {
      rest = nextRest;
      write({ world });
    },
    run(call: object): Promise<Said> {
      started += 1;
      const job = Promise.withResolvers<Said>();
      jobs.set(started, job);
      write({ job: started, ...call });
      return job.promise;
    },
  };
}
