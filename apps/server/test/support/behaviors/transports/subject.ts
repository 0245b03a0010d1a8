import type { Transport } from '../../../../src/transports/transport'

export interface Subject {
  name: string
  on(): Transport
  /** A folder of the test's own, usable for the account that the transport acts as. */
  folder(): Promise<string>
  /** Makes a folder usable for that account. */
  prepared(folder: string): Promise<void>
}
