/** Emails about jobs that ended. */
export const notifications = `
create table job_mail_choices (
  user_id text primary key references users on delete cascade,
  wanted text not null check (wanted in ('failed', 'always')),
  -- What ended before is not reported.
  since timestamptz not null
);
-- What has been reported, for as long as it would be found again.
create table job_mails (submission_id text primary key references submissions on delete cascade);
create index submissions_ended on submissions (ended_at) where ended_at is not null;
`
