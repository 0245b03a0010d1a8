import type { Transport } from '../../../../src/transports/transport'

export interface Subject {
  name: string
  on(): Transport
  /** Creates a folder for the test that the transport's account can use. */
  folder(): Promise<string>
  /** Makes an existing folder usable for that account. */
  prepared(folder: string): Promise<void>
}
