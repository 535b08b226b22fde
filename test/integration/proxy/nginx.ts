import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificates } from "../../../cli/intercept/certificate.ts";
import { systemClock, systemRandom } from "../../../src/system.ts";
import { newFolder } from "../../support/cleanup.ts";
import { type Served, serveMomo } from "../../support/momo.ts";
import { type RunningProxy, startProxy, writeConfiguration } from "../../support/proxies.ts";

export const TOKEN = "a-token-of-the-tests";

/** A server whose control API needs {@link TOKEN}. */
export function serveWithToken(): Promise<Served> {
  const file = join(newFolder(), "token");
  writeFileSync(file, TOKEN, { mode: 0o600 });
  return serveMomo(["--control-token-file", file]);
}

/**
 * @param server what stands in the block of the server, such as `location / { … }`
 * @param listen what stands after the address, such as `ssl`
 */
export function startNginx(server: string, listen = ""): Promise<RunningProxy> {
  return startProxy((folder, socket) => {
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const config = `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
      events {}
      http {
        access_log off;
        ${places.map((place) => `${place}_temp_path ${folder}/${place};`).join(" ")}
        server { listen unix:${socket} ${listen}; ${server} }
      }`;
    return ["nginx", "-p", folder, "-e", "stderr", "-c", writeConfiguration(folder, config)];
  });
}

/** The files of a certificate for `momo.example`, which no client knows. */
export function makeCertificate(): { certificate: string; key: string } {
  const folder = newFolder();
  const made = makeCertificates(["momo.example"], systemClock, systemRandom);
  const files = { certificate: join(folder, "certificate.pem"), key: join(folder, "key.pem") };
  for (const name of ["certificate", "key"] as const) writeFileSync(files[name], made[name]);
  return files;
}
