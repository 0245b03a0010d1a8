/** The progress of a backup or a restore. */
export type Progress = {
  step: 'database' | 'files' | 'verify'
  rows: number
  files: number
  /** Of the file, as it is written or read. */
  bytes: number
  /** Of the whole file, where that is known. */
  totalBytes: number | null
}
export type OnProgress = (progress: Progress) => void
/** A backup is not verified while it is written. */
export type WritingProgress = Progress & { step: Exclude<Progress['step'], 'verify'> }
