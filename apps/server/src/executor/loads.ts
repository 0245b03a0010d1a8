import { usage } from './processes'
import type { Load } from './journal/rows'
import { nameOf, type Run } from './journal/state'

/** The actual usage of running jobs, sampled periodically. */
export class Loads {
  readonly #loads = new Map<string, Load & { at: number }>()

  of(run: Run): Load | undefined {
    return run.task.state === 'running' ? this.#loads.get(nameOf(run)) : undefined
  }

  sample(running: Iterable<Run>, guardOf: (run: Run) => number | undefined): void {
    const at = Date.now()
    const guards = new Map<number, Run>()
    for (const run of running) {
      const guard = guardOf(run)
      if (guard) guards.set(guard, run)
    }
    const before = new Map(this.#loads)
    this.#loads.clear()
    if (guards.size === 0) return
    for (const [guard, { cpuS, memoryMb }] of usage(new Set(guards.keys()))) {
      const run = guards.get(guard)
      if (!run) continue
      const last = before.get(nameOf(run))
      const seconds = (at - (last?.at ?? run.task.start ?? at)) / 1000
      const load = seconds > 0 ? Math.max(0, cpuS - (last?.cpuS ?? 0)) / seconds : 0
      this.#loads.set(nameOf(run), { cpuS, memoryMb, load, at })
      // Peak usage is what users want to know afterward.
      run.task.memoryMb = Math.max(run.task.memoryMb ?? 0, memoryMb)
    }
  }
}
