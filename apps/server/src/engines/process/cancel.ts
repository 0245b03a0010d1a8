import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineProcess } from './process'

/** How long an engine may take to end after each word. What it has begun in a cloud takes its time. */
export interface Patience {
  interruptMs: number
  againMs: number
  /** What an engine hears. Packer starts itself again and hands only this one on to itself. */
  signal?: 'SIGTERM'
}
export const defaultPatience: Patience = { interruptMs: 120_000, againMs: 60_000 }

/**
 * Ends an engine: it is told to finish what it has begun and stop; after a while, to drop it; and only then, when it
 * hears nothing, it is killed, which costs what it knows about the last things it made.
 */
export async function terminateGracefully(running: EngineProcess, patience: Patience): Promise<void> {
  for (const ms of [patience.interruptMs, patience.againMs])
    if (await interrupted(running, ms, patience.signal)) return
  running.kill()
  await sleep(100)
}

async function interrupted(running: EngineProcess, ms: number, signal: Patience['signal']): Promise<boolean> {
  const until = Date.now() + ms
  // One that was only just started is told as soon as it is there.
  let told = false
  while (running.alive()) {
    told ||= running.interrupt(signal)
    if (Date.now() >= until) return false
    await sleep(25)
  }
  return true
}
