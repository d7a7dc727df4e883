/**
 * A queue that serves clients in turn, with limits for each group of jobs.
 *
 * @module
 */

/** A group that a job belongs to, and its limits. */
export interface QueueGroup {
  readonly name: string;
  /** Jobs of the group that run at once. */
  readonly running: number;
  /** Jobs of the group that are in the queue, running or not. */
  readonly places: number;
}

/** A place in the queue. */
export interface QueuePlace {
  /** Runs work in a slot, when it is the client's turn and no group of the job is at its limit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Frees the place. */
  leave(): void;
}

/** A queue. */
export interface FairQueue {
  /** Takes a place, synchronously; `undefined` if a group is full. */
  enter(client: string, groups: readonly QueueGroup[]): QueuePlace | undefined;
}

/** A group that has jobs. */
interface Usage {
  running: number;
  places: number;
}

/** A job that waits for a slot. */
interface Job {
  readonly groups: readonly QueueGroup[];
  readonly start: () => void;
}

/** Creates a queue. @param slots Jobs that run at once. */
export function createFairQueue(slots: number): FairQueue {
  const usages = new Map<string, Usage>();
  /** Jobs that wait, by client; the client whose turn is next comes first. */
  const waiting = new Map<string, Job[]>();
  let running = 0;

  function usageOf({ name }: QueueGroup): Usage {
    return usages.get(name) ?? { running: 0, places: 0 };
  }

  function change(groups: readonly QueueGroup[], { running, places }: Partial<Usage>): void {
    for (const group of groups) {
      const before = usageOf(group);
      const usage = {
        running: before.running + (running ?? 0),
        places: before.places + (places ?? 0),
      };
      if (usage.places > 0) usages.set(group.name, usage);
      else usages.delete(group.name);
    }
  }

  function setRunning(groups: readonly QueueGroup[], by: 1 | -1): void {
    running += by;
    change(groups, { running: by });
  }

  /** Starts as many jobs as possible. A client that starts one and has more goes to the end, where this loop meets it again. */
  function startJobs(): void {
    for (const [client, jobs] of waiting) {
      if (running >= slots) return;
      const at = jobs.findIndex(({ groups }) =>
        groups.every((group) => usageOf(group).running < group.running)
      );
      const [job] = at < 0 ? [] : jobs.splice(at, 1);
      if (job === undefined) continue;
      waiting.delete(client);
      if (jobs.length > 0) waiting.set(client, jobs);
      setRunning(job.groups, 1);
      job.start();
    }
  }

  return {
    enter(client, groups) {
      if (groups.some((group) => usageOf(group).places >= group.places)) return undefined;
      change(groups, { places: 1 });
      let hasLeft = false;
      return {
        async run(work) {
          await new Promise<void>((start) => {
            const jobs = waiting.get(client) ?? [];
            waiting.set(client, [...jobs, { groups, start }]);
            startJobs();
          });
          try {
            return await work();
          } finally {
            setRunning(groups, -1);
            startJobs();
          }
        },
        leave() {
          if (!hasLeft) change(groups, { places: -1 });
          hasLeft = true;
        },
      };
    },
  };
}
