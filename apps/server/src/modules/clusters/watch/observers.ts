import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'

/** What the poller saw of a cluster at one time. */
export type Polled = {
  cluster: StoredCluster
  connection: ClusterConnection
  jobs: QueuedJob[]
  nodes: NodeInfo[]
}

/** How another module reacts to what happens to a cluster. */
export type ClusterObserver = {
  /** A queue was read. Returns which of our submissions are in it. */
  onQueue?(clusterId: string, jobs: QueuedJob[]): Promise<QueueLinks>
  /** Queue and nodes were read together. */
  onPolled?(seen: Polled): Promise<void>
  /** The cluster is no longer watched: the outcome of its jobs will not be known. */
  onDetached?(clusterId: string): Promise<void>
  /** A person is about to decline a cluster that was shared with them: what they run there ends. */
  onDecline?(userId: string, clusterId: string): Promise<unknown>
  /** Called every few seconds on the leader. */
  onRound?(): Promise<void>
}

/** Submissions and their jobs by their numbers in the queue of a cluster. */
export type QueueLinks = Map<string, { submissionId: string; jobId: string }>

export function makeObservers() {
  const observers: ClusterObserver[] = []
  return {
    observe: (observer: ClusterObserver): void => void observers.push(observer),
    async onQueue(clusterId: string, jobs: QueuedJob[]): Promise<QueueLinks> {
      const found = await Promise.all(observers.map(async (one) => one.onQueue?.(clusterId, jobs)))
      return new Map(found.flatMap((one) => [...(one ?? [])]))
    },
    async onPolled(seen: Polled): Promise<void> {
      for (const one of observers) await one.onPolled?.(seen)
    },
    async onDetached(clusterId: string): Promise<void> {
      for (const one of observers) await one.onDetached?.(clusterId)
    },
    /** Waits for all observers, even if some of them fail. */
    async onDecline(userId: string, clusterId: string): Promise<void> {
      await Promise.allSettled(observers.map(async (one) => one.onDecline?.(userId, clusterId)))
    },
    async onRound(): Promise<void> {
      for (const one of observers) await one.onRound?.()
    },
  }
}
