/** What the operator can do something about: its message says what happened and what to do. */
export class BackupError extends Error {}
