import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstMessages } from '@flotilla/contract/first-messages'
import { messages } from '@flotilla/contract/messages'
import { expect, test } from './support/fixtures'

/** Section 8 of the specification, in its order. */
const texts = [
  'An unknown error occurred',
  'Authentication Error',
  'Unauthorized',
  'Email domain not allowed. Please use an email from one of these domains: ',
  'An error occurred',
  'An unknown error has occurred.',
  'Invalid or expired verification code',
  'An unexpected error occurred',
  'Failed to resend code.',
  'Failed to terminate VNC sessions',
  'Failed to remove users completely',
  'An error occurred while deleting the stack',
  'Something went wrong while attempting to change the burst mode',
  'SSH key uploaded successfully',
  'Failed to upload SSH key',
  'Two Step Verification Settings Updated Successfully',
  'Error updating Two Step Verification Settings',
  'Two Step Verification Settings Added Successfully',
  'Error adding Two Step Verification Settings',
  'Invalid License',
  'The license is invalid, please request the administrator to update it.',
  'Something went wrong, if the problem persists please contact support.',
  'ERROR',
  'Close',
  'Session ended.',
  'Session Expired',
  'Authenticating User',
  'Creating User',
  'Submitting Job',
  'Deleting File',
  'Workshop Deleted',
  'Recovery email sent',
  'Password Reset Successful',
  'User Updated',
  'User Updated, you must log in again to see the changes',
  'Password Updated',
  'Deleted User',
  'User created successfully',
  'LDAP Server Updated Successfully',
  'LDAP Server Added Successfully',
  'LDAP Server Deleted Successfully',
  'Stack Deleted',
  'Cluster Deleted',
  'Node Deploy Initiated',
  'Node Destroy Initiated',
  'Add Disks Initiated',
  'Cluster Resize Initiated',
  'Job Saved',
  'Job Updated',
  'Job Deleted',
  'Job Submitted',
  'Job Canceled',
  'File Deleted',
  'Credential Deleted',
  'ACM Shapes Synced Successfully',
  'Cloud Provider Shapes Synced Successfully',
  'All Nodes Released Successfully',
]

/** The text of every script that the site can load. */
async function scriptsOf(url: string): Promise<string> {
  const found = new Map<string, string>()
  const visit = async (text: string): Promise<void> => {
    const names = [...text.matchAll(/[\w.-]+\.js\b/g)].map(([name]) => name)
    for (const name of new Set(names)) {
      if (found.has(name)) continue
      found.set(name, '')
      const response = await fetch(`${url}/static/${name}`)
      if (!response.ok || !response.headers.get('content-type')?.includes('javascript')) continue
      const script = await response.text()
      found.set(name, script)
      await visit(script)
    }
  }
  await visit(await (await fetch(url)).text())
  return [...found.values()].join('\n')
}

test('the site’s scripts contain every text of the error catalog', async ({ server }) => {
  const served = await scriptsOf(server.url)
  // Only the texts are compared, without quotes, which the minifier may change.
  expect(texts.filter((text) => !served.includes(text))).toEqual([])
})

test('the web app or the server uses every text of the specification', async () => {
  const folders = ['apps/web/src', 'apps/server/src', 'packages/contract/src'].map((path) =>
    join(import.meta.dirname, '..', path),
  )
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true }))
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
        .map((name) => join(folder, name)),
    ),
  )
  const sources = (await Promise.all(files.flat().map((file) => readFile(file, 'utf8')))).join('\n')
  const keys = [...Object.keys(messages), ...Object.keys(firstMessages)]
  expect(keys.filter((key) => !new RegExp(`essages\\.${key}\\b`).test(sources))).toEqual([])
})
