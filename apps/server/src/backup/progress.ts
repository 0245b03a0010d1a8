/** The progress of a backup or a restore. */
export type Progress = {
  step: 'database' | 'files' | 'verify'
  rows: number
  files: number
  /** The bytes of the backup file that were written or read. */
  bytes: number
  /** The size of the whole file, if it is known. */
  totalBytes: number | null
}
export type OnProgress = (progress: Progress) => void
/** A backup is not verified while it is written. */
export type WritingProgress = Progress & { step: Exclude<Progress['step'], 'verify'> }
