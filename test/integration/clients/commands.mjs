// Runs commands of the client of the file that is named, one after the other. Each line of the standard input is the
// environment and the arguments of a command. The answer is what it prints, and its exit code.
import { copyFileSync, mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [node, , file, folder] = process.argv;
const write = console.log;
let count = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const { env, args } = JSON.parse(line);
  count += 1;
  mkdirSync(`${folder}/${count}`);
  const copy = `${folder}/${count}/client.mjs`; // a module of one path runs once
  copyFileSync(file, copy);
  Object.assign(process.env, env);
  process.argv = [node, copy, ...args];
  let stdout = "";
  console.log = (text) => {
    stdout += `${text}\n`;
  };
  await import(pathToFileURL(copy).href);
  write(JSON.stringify({ stdout, exitCode: process.exitCode ?? 0 }));
  process.exitCode = 0;
}
