import { testFolder } from '../../../test/support/folder'
import type { Transport } from '../transport'
import { commandBehaviours } from './commands'
import { confinementBehaviours } from './confinement'
import { fileBehaviours } from './files'
import type { Subject } from './subject'
import { terminalBehaviours } from './terminal'
import { transferBehaviours } from './transfers'

/** What every transport does, whichever way it goes. An account without a login shell has no terminal. */
export function transportBehaviours(
  name: string,
  on: () => Transport,
  {
    prepared = async () => undefined,
    terminal = true,
  }: Partial<Pick<Subject, 'prepared'>> & { terminal?: boolean } = {},
): void {
  const folder = async () => {
    const made = await testFolder()
    await prepared(made)
    return made
  }
  const subject: Subject = { name, on, folder, prepared }
  commandBehaviours(subject)
  if (terminal) terminalBehaviours(subject)
  fileBehaviours(subject)
  transferBehaviours(subject)
  confinementBehaviours(subject)
}
