import type { QueuedJob } from '../../../schedulers/scheduler'

/** What another module does about what is seen on clusters. */
export type ClusterObserver = {
  /** A queue was read. Answers the jobs of ours in it, by mark. */
  onQueue(clusterId: string, jobs: QueuedJob[]): Promise<Map<string, string>>
  /** The cluster is no longer watched: what becomes of its jobs will not be known. */
  onDetached(clusterId: string): Promise<void>
  /** Every few seconds, on the server that leads. */
  onRound(): Promise<void>
}

export function makeObservers() {
  const observers: ClusterObserver[] = []
  return {
    observe: (observer: ClusterObserver): void => void observers.push(observer),
    async onQueue(clusterId: string, jobs: QueuedJob[]): Promise<Map<string, string>> {
      const found = await Promise.all(observers.map((one) => one.onQueue(clusterId, jobs)))
      return new Map(found.flatMap((one) => [...one]))
    },
    async onDetached(clusterId: string): Promise<void> {
      for (const one of observers) await one.onDetached(clusterId)
    },
    async onRound(): Promise<void> {
      for (const one of observers) await one.onRound()
    },
  }
}
