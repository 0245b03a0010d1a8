import { explain } from '../../../../explain'
import { readStatus, STATUS_FILE } from '../../../../cloud-init/status'
import { query } from '../../commands/query'
import type { ClusterConnection } from '../../commands/connection'
import type { RunContext } from '../../../runs/runs'
import type { Deployed } from '../../stored-cluster'

const CHECK_MS = 5000
/** The time from when the cloud reports a running machine until it accepts jobs: packages are installed in between. */
const BOOT_MS = 30 * 60_000

/** Waits until the head node has set itself up, and logs the step it is at. */
export async function awaitHeadNode(
  connectHead: () => Promise<ClusterConnection>,
  { machines }: Deployed,
  /** The address ranges that SSH is allowed from; empty if it is allowed from everywhere. */
  ranges: string[],
  run: RunContext,
): Promise<void> {
  const head = machines.find(({ role }) => role === 'head')
  run.log(
    `Waiting for the head node at ${head?.publicIp ?? head?.privateIp ?? 'an unknown address'} to respond`,
  )
  const letInOnly =
    ranges.length > 0
      ? `. Only ${ranges.join(', ')} can connect to it: check that this console is among the allowed source ranges`
      : ''
  let lastText = ''
  const log = (text: string) => {
    if (text !== lastText) run.log(text)
    lastText = text
  }
  run.check()
  for (const until = Date.now() + BOOT_MS; ;) {
    const status = await statusOf(connectHead).catch((error: unknown) => explain(error))
    if (typeof status === 'string') log(`Not ready yet: ${status}`)
    else if (status?.state === 'failed')
      throw new Error(`The head node failed at ${status.step}: ${status.message}`)
    else if (status?.state === 'ready') {
      for (const warning of status.warnings) run.log(warning, 'warning')
      return log('The head node is set up')
    } else log(`Head node: ${status?.step ?? 'starting'}`)
    if (Date.now() > until)
      throw new Error(
        `The head node was not ready after ${BOOT_MS / 60_000} minutes. Last status: ${lastText}${letInOnly}`,
      )
    await run.pause(CHECK_MS)
  }
}

async function statusOf(connectHead: () => Promise<ClusterConnection>) {
  return query(await connectHead(), {
    argv: ['cat', STATUS_FILE],
    parse: ({ stdout }) => readStatus(stdout),
  })
}
