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
 * What every transport must do. An account without a login shell has no terminal. Contents of files do not depend on
 * the account, so other accounts run these tests only with `contents`.
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
