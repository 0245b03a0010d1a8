import { ExplainedError } from '../explain'

/** What the operator can do something about: its message says what happened and what to do. */
export class BackupError extends ExplainedError {
  get explanation(): string {
    return this.message
  }
}
