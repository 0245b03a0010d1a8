import { STACK_UPLOAD_MAX_BYTES } from '@flotilla/contract/limits'
import {
  stackFileFields,
  type StackFileField,
  type StackInput,
  type Upload,
} from '@flotilla/contract/stacks/entity'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import * as store from './store'

/** The files uploaded with a request, by field. */
export type Uploaded = Partial<Record<StackFileField, Upload | Upload[] | undefined>>

const scriptNames: Record<StackFileField, string> = {
  nodeProvisioner: 'node-provisioner.sh',
  serverProvisioner: 'server-provisioner.sh',
  dataFiles: 'data.txt',
  dataFilesB: 'data.txt',
}

const asFile = (field: StackFileField, upload: Upload): { name: string; bytes: Buffer } =>
  typeof upload === 'string'
    ? { name: scriptNames[field], bytes: Buffer.from(upload) }
    : { name: upload.name, bytes: Buffer.from(upload.bytes) }

const isScript = (field: StackFileField) => field === 'nodeProvisioner' || field === 'serverProvisioner'

/** Rejects a script that no kernel or shell can read, instead of failing after an hour of building. */
function refuseUnreadable(field: StackFileField, { name, bytes }: { name: string; bytes: Buffer }): void {
  if (!isScript(field)) return
  const problem = bytes.includes(0)
    ? `${name} is not a script: it contains binary data`
    : bytes.includes('\r\n')
      ? `${name} has Windows line endings, which shells do not understand`
      : undefined
  if (problem) fail('bad_input', { fields: { [field]: problem } })
}

/** Rejects two files with the same name, one of which would be lost. */
function refuseTwice(field: StackFileField, names: string[]): void {
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0)
    fail('bad_input', { fields: { [field]: `Duplicate file name: ${[...new Set(twice)].join(', ')}` } })
}

/**
 * Updates the files of a stack: removes those that the request does not name and adds those it uploads. Returns whether
 * anything changed.
 */
export async function applyFiles(
  tx: Transaction,
  id: string,
  before: { field: StackFileField; name: string }[],
  provision: StackInput['provision'],
  uploaded: Uploaded,
): Promise<boolean> {
  let changed = false
  for (const field of stackFileFields) {
    const files = [uploaded[field] ?? []]
      .flat()
      // An empty form field is not a file.
      .filter((upload) => typeof upload !== 'string' || upload !== '')
      .map((upload) => asFile(field, upload))
    const kept = provision && [provision[field] ?? []].flat().map(({ name }) => name)
    if (!isScript(field)) refuseTwice(field, [...(kept ?? []), ...files.map(({ name }) => name)])
    const there = before.filter((file) => file.field === field).map(({ name }) => name)
    const replaced = isScript(field) && files.length > 0
    for (const name of there)
      if (replaced || (kept && !kept.includes(name))) {
        await store.removeFile(tx, id, field, name)
        changed = true
      }
    for (const file of files) {
      refuseUnreadable(field, file)
      await store.putFile(tx, { stack_id: id, field, ...file })
      changed = true
    }
  }
  if ((await store.filesSize(tx, id)) > STACK_UPLOAD_MAX_BYTES)
    fail('too_large', {
      message: `The files of a stack can have at most ${STACK_UPLOAD_MAX_BYTES / 1024 / 1024} MB in total`,
    })
  return changed
}
