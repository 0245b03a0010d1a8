import { visibleName } from '@flotilla/contract/visible-name'
import { ExplainedError, messageOf } from '../explain'

/** What was being done, worded for the sentence "could not <step>". */
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
  /** The other side cannot be reached; trying again later may help. */
  | 'unreachable'
  /** It was reached and then went away; what was in progress may or may not have happened. */
  | 'lost'
  | 'timed out'
  | 'canceled'
  /** Too much at once: no channel is free. */
  | 'busy'
  /** The key, the password or the account is not accepted. */
  | 'refused'
  | 'host key changed'
  | 'not ssh'
  /** The path, or a link on it, leads out of the folder that the caller is confined to. */
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
  /** A program is missing, or does not do what it should. */
  | 'unusable'
  | 'failed'

/** A step towards another machine, a process or a file that did not succeed. The message is meant for people. */
export class TransportError extends ExplainedError {
  override readonly name = 'TransportError'
  /** What the message asks to be installed. */
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
  // O_NOFOLLOW met a link where the walk had seen none: someone swapped it in between.
  ELOOP: ['outside', 'was just replaced by a symbolic link'],
  ENOTDIR: ['not a folder', 'is not a folder'],
  EISDIR: ['not a file', 'is a folder'],
  ENOTEMPTY: ['not empty', 'is not empty'],
  ENOSPC: ['disk full', 'does not fit: the disk is full'],
  EDQUOT: ['disk full', 'does not fit: the disk quota is exhausted'],
  // Beyond the size that a file may have here, which is what the disk had room for.
  EFBIG: ['disk full', 'does not fit: the disk is nearly full'],
  EROFS: ['read only', 'is on a read-only file system'],
  EXDEV: ['other file system', 'is on another file system. Copy it instead'],
  ENAMETOOLONG: ['bad name', 'has a name that is too long'],
  EINVAL: ['bad name', 'cannot be moved or renamed like that'],
  ENOTFILE: ['not a file', 'is not a regular file'],
  ENXIO: ['not a file', 'is not a regular file'],
}

/** A failure with a code of ours or of the system, to be made a sentence by `fileError` where the path is known. */
export const coded = (code: string, message: string = code): Error =>
  Object.assign(new Error(message), { code })

/** A failed call on a file, as a sentence about that file. */
export function fileError(step: Step, path: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error
  const name = path === '' || path === '/' ? 'The folder' : `"${visibleName(path)}"`
  const [reason, text] = byErrno[errorCode(error) ?? ''] ?? ['failed' as const, `failed: ${messageOf(error)}`]
  return new TransportError(step, reason, `${name} ${text}.`, { cause: error })
}
