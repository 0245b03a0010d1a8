import path from 'node:path'
import { TransportError } from '../../transports/error'
import type { Files } from '../../transports/files'
import type { Transport } from '../../transports/transport'

type Account = { transport: Transport; home: string }
/** A folder relative to the account's home. */
type Placed = { folder: string }

// Each submission has its own folder in the home of the account that runs it. The job can replace that folder and its
// parents by links, so all calls start at the home and follow no link on the path.

export const filesOf = ({ transport, home }: Account, { folder }: Placed): Files =>
  transport.files(home, folder)

const reasonOf = (error: unknown) => (error instanceof TransportError ? error.reason : undefined)

export async function makeFolder({ transport, home }: Account, { folder }: Placed): Promise<void> {
  const [parent, name] = [path.posix.dirname(folder), path.posix.basename(folder)]
  const make = () => transport.files(home, parent).mkdir(name, { parents: true })
  try {
    // The parent folder is only missing for the account's first submission.
    await make().catch(async (error: unknown) => {
      if (reasonOf(error) !== 'not found') throw error
      await transport.files(home).mkdir(parent, { parents: true })
      await make()
    })
  } catch (error) {
    if (reasonOf(error) !== 'outside') throw error
    throw new TransportError(
      'create folder',
      'outside',
      `~/${parent} is a symbolic link. Jobs write their output there and links are not followed. Replace it with a folder.`,
      { cause: error },
    )
  }
}

/** Removes the folder with its content. */
export async function removeFolder({ transport, home }: Account, { folder }: Placed): Promise<void> {
  const parent = transport.files(home, path.posix.dirname(folder))
  await parent.remove(path.posix.basename(folder), { recursive: true })
}
