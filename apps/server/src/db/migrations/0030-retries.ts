/** Submissions that wait for a resource manager to answer, to be sent to it or to be canceled there. */
export const retries = `
alter table submissions
  -- Of the last attempt, where there were several.
  add column sent_at timestamptz,
  add column tries int not null default 0,
  add column next_try_at timestamptz,
  add column retry_reason text,
  add column cancel_asked_at timestamptz;
`
