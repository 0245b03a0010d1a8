import type { Server } from 'node:http'
import type { Bind } from '../http/bind'
import type { Caller } from '../http/caller'
import type { BindSocket } from '../http/socket-bind'
import type { Handler } from '../queue/task'
import type { Schedule } from '../queue/workers'

/** What a module's `openX` returns to `open-modules.ts`, besides its `api` for other modules. All parts are optional. */
export type Module = {
  /** Binds its endpoints. */
  bind?(bind: Bind): void
  /** Binds its socket requests. */
  bindSocket?(bindSocket: BindSocket): void
  /** Takes the upgrades of connections that are its own, such as its WebSockets. */
  serveUpgrades?(server: Server): void
  /** The live rooms of what this person may see of it. */
  rooms?(me: Caller): Promise<string[]>
  /** Called when the session, roles or visible things of this user (or, if omitted, of any user) may have changed. */
  identityChanged?(userId?: string): void
  tasks?: Handler[]
  schedules?: Schedule[]
  /** Removes what has expired; called every minute on one of the servers. */
  sweep?(): Promise<unknown>
  /** What only one of the servers at a time does. `receive` gets what the others tell it over the database. */
  leader?: { start(): void; stop(): void; receive(message: string): void }
  stop?(): Promise<void> | void
}
