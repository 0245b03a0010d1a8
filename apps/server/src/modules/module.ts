import type { Server } from 'node:http'
import type { Bind } from '../http/bind'
import type { Caller } from '../http/caller'
import type { BindSocket } from '../http/socket-bind'
import type { Handler } from '../queue/task'
import type { Schedule } from '../queue/workers'

/**
 * The parts of a module that `openX` returns to `open-modules.ts`, besides its `api` for other modules. All are
 * optional.
 */
export type Module = {
  /** Binds its endpoints. */
  bind?(bind: Bind): void
  /** Binds its socket requests. */
  bindSocket?(bindSocket: BindSocket): void
  /** Handles upgrades to its own connections, such as WebSockets. */
  serveUpgrades?(server: Server): void
  /** The rooms with live updates that this user may receive. */
  rooms?(me: Caller): Promise<string[]>
  /** Called when the session, roles or visible things of this user (or, if omitted, of any user) may have changed. */
  identityChanged?(userId?: string): void
  tasks?: Handler[]
  schedules?: Schedule[]
  /** Removes what has expired; called every minute on one of the servers. */
  sweep?(): Promise<unknown>
  /** Work that only one server at a time does. `receive` gets messages of the other servers from the database. */
  leader?: { start(): void; stop(): void; receive(message: string): void }
  stop?(): Promise<void> | void
}
