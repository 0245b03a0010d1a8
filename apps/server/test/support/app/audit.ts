import type { AuditSource } from '../../../src/http/caller'
import { makeSign } from '../../../src/modules/activities/records'

/** The console itself as the source of audit records, for modules that are tested without the application. */
export const testSystem: AuditSource = {
  requestId: null,
  address: null,
  sessionId: null,
  tokenId: null,
  sign: makeSign(Buffer.alloc(32)),
}
