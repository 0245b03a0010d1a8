import { ExplainedError } from '../explain'

/** A failure that the operator can fix: the message says what happened and what to do. */
export class BackupError extends ExplainedError {
  get explanation(): string {
    return this.message
  }
}
