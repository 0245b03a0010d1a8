import { testFolder } from '../../folder'
import type { Transport } from '../../../../src/transports/transport'
import { commandBehaviors } from './commands'
import { confinementBehaviors } from './confinement'
import { fileBehaviors } from './files'
import { searchBehaviors } from './search'
import type { Subject } from './subject'
import { terminalBehaviors } from './terminal'
import { transferBehaviors } from './transfers'

/**
 * What every transport does, whichever way it goes. An account without a login shell has no terminal. What is in files is read
 * and written the same way by every account, so it is tried for one of each way, and with `contents` for others.
 */
export function transportBehaviors(
  name: string,
  on: () => Transport,
  {
    prepared = async () => undefined,
    terminal = true,
    contents = true,
  }: Partial<Pick<Subject, 'prepared'>> & { terminal?: boolean; contents?: boolean } = {},
): void {
  const folder = async () => {
    const made = await testFolder()
    await prepared(made)
    return made
  }
  const subject: Subject = { name, on, folder, prepared }
  commandBehaviors(subject)
  if (terminal) terminalBehaviors(subject)
  fileBehaviors(subject)
  if (contents) transferBehaviors(subject)
  if (contents) searchBehaviors(subject)
  confinementBehaviors(subject)
}
