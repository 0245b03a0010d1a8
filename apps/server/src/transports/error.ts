import { visibleName } from '@flotilla/contract/visible-name'
import { ExplainedError, messageOf } from '../explain'

/** The step that failed, worded for the sentence "could not <step>". */
export type Step =
  | 'resolve host'
  | 'connect'
  | 'start SSH'
  | 'check host key'
  | 'log in'
  | 'open channel'
  | 'switch account'
  | 'open folder'
  | 'run command'
  | 'open terminal'
  | 'list folder'
  | 'stat file'
  | 'read file'
  | 'write file'
  | 'create folder'
  | 'remove'
  | 'rename'
  | 'change permissions'
  | 'pack folder'

export type Reason =
  /** The remote host cannot be reached; a later attempt may succeed. */
  | 'unreachable'
  /** The connection was lost; operations in progress may or may not have happened. */
  | 'lost'
  | 'timed out'
  | 'canceled'
  /** No channel is free. */
  | 'busy'
  /** The key, the password or the account is rejected. */
  | 'refused'
  | 'host key changed'
  | 'not ssh'
  /** The path or a link on it leads out of the folder that the caller is confined to. */
  | 'outside'
  | 'not found'
  | 'exists'
  | 'denied'
  | 'not a file'
  | 'not a folder'
  | 'not empty'
  | 'disk full'
  | 'read only'
  | 'other file system'
  /** An upload was to resume at an offset that is not the end of the existing file. */
  | 'wrong offset'
  | 'bad name'
  /** A program is missing or does not work as expected. */
  | 'unusable'
  | 'failed'

/** The failure of a step on a connection, a process or a file. The message is for users. */
export class TransportError extends ExplainedError {
  override readonly name = 'TransportError'
  /** The key that the message asks the user to install. */
  readonly publicKey: string | undefined
  constructor(
    readonly step: Step,
    readonly reason: Reason,
    message: string,
    options: { cause?: unknown; publicKey?: string } = {},
  ) {
    super(message, options)
    this.publicKey = options.publicKey
  }

  get explanation(): string {
    return `Could not ${this.step}: ${this.message}`
  }
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const byErrno: Record<string, [Reason, string]> = {
  ENOENT: ['not found', 'does not exist'],
  EEXIST: ['exists', 'already exists'],
  EACCES: ['denied', 'is not accessible to this account'],
  EPERM: ['denied', 'is not accessible to this account'],
  EOUTSIDE: ['outside', 'leads out of this folder through a symbolic link, which is not followed'],
  ELINKED: [
    'outside',
    'cannot be accessed: a parent folder was replaced by a symbolic link, which is not followed',
  ],
  EMANYLINKS: ['not found', 'leads through too many symbolic links'],
  EOFFSET: ['wrong offset', 'is shorter than the offset to resume at'],
  // O_NOFOLLOW found a link where the walk had found none, so it was swapped in between.
  ELOOP: ['outside', 'was just replaced by a symbolic link'],
  ENOTDIR: ['not a folder', 'is not a folder'],
  EISDIR: ['not a file', 'is a folder'],
  ENOTEMPTY: ['not empty', 'is not empty'],
  ENOSPC: ['disk full', 'does not fit: the disk is full'],
  EDQUOT: ['disk full', 'does not fit: the disk quota is exhausted'],
  // The limit on the file size is the space that was free on the disk.
  EFBIG: ['disk full', 'does not fit: the disk is nearly full'],
  EROFS: ['read only', 'is on a read-only file system'],
  EXDEV: ['other file system', 'is on another file system. Copy it instead'],
  ENAMETOOLONG: ['bad name', 'has a name that is too long'],
  EINVAL: ['bad name', 'cannot be moved or renamed like that'],
  ENOTFILE: ['not a file', 'is not a regular file'],
  ENXIO: ['not a file', 'is not a regular file'],
}

/** An error with a system code or one of ours. `fileError` makes it a sentence where the path is known. */
export const coded = (code: string, message: string = code): Error =>
  Object.assign(new Error(message), { code })

/** The error of a failed file call, as a sentence about the file. */
export function fileError(step: Step, path: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error
  const name = path === '' || path === '/' ? 'The folder' : `"${visibleName(path)}"`
  const [reason, text] = byErrno[errorCode(error) ?? ''] ?? ['failed' as const, `failed: ${messageOf(error)}`]
  return new TransportError(step, reason, `${name} ${text}.`, { cause: error })
}
