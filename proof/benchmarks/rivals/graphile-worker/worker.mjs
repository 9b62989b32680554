// Graphile Worker, with the settings of its page on performance; its jobs do nothing.
// node worker.mjs URL write N: migrates and adds N jobs. node worker.mjs URL work: works until it is killed.
import { Logger, makeWorkerUtils, run } from "graphile-worker";

const [connectionString, what, count] = process.argv.slice(2);
const logger = new Logger(() => () => {});
if (what === "write") {
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  for (let from = 0; from < Number(count); from += 5_000) {
    const jobs = Array.from({ length: Math.min(5_000, count - from) }, (_, i) => ({
      identifier: "nothing",
      payload: { number: from + i },
    }));
    await utils.addJobs(jobs);
  }
  await utils.release();
} else {
  const runner = await run({
    preset: {
      worker: {
        connectionString,
        concurrentJobs: 24,
        maxPoolSize: 25,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    logger,
    taskList: { nothing: () => {} },
  });
  await runner.promise;
}
