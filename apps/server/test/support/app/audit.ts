import type { AuditSource } from '../../../src/http/caller'
import { makeSign } from '../../../src/modules/activities/records'

/** The console itself as a source of records, for parts that are tested without the application around them. */
export const testSystem: AuditSource = {
  requestId: null,
  address: null,
  sessionId: null,
  tokenId: null,
  sign: makeSign(Buffer.alloc(32)),
}
