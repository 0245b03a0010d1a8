/** Clusters with what was last seen of them, jobs, and every time a job was submitted. */
export const clusters = `
create table clusters (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  provider text not null,
  credential_id text,
  for_everyone boolean not null default false,
  state text not null,
  state_since timestamptz not null,
  cause text,
  data jsonb not null,
  public_key text,
  sealed_private_key text,
  sealed_given_key text,
  host_key text,
  polled_at timestamptz,
  poll_error text,
  poll_error_since timestamptz,
  queue_counts jsonb not null default '{"blocked":0,"completed":0,"queued":0,"running":0,"total":0}',
  node_counts jsonb not null default '{"available":0,"busy":0,"down":0,"offline":0,"total":0,"unknown":0}',
  largest_node jsonb not null default '{"cores":0,"gpus":0}',
  created_at timestamptz not null
);
create index clusters_newest on clusters (created_at desc, id desc);
create index clusters_of_owner on clusters (owner_id);

create table cluster_collaborators (
  cluster_id text not null references clusters on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (cluster_id, user_id)
);
create index cluster_collaborators_of_user on cluster_collaborators (user_id);

-- What the poller saw last: only rows that changed are written.
create table cluster_nodes (
  cluster_id text not null references clusters on delete cascade,
  name text not null,
  data jsonb not null,
  primary key (cluster_id, name)
);
create table cluster_queue (
  cluster_id text not null references clusters on delete cascade,
  job_id text not null,
  position int not null,
  data jsonb not null,
  primary key (cluster_id, job_id)
);
create table cluster_loads (
  cluster_id text not null references clusters on delete cascade,
  time timestamptz not null,
  cpus int not null,
  load_avg real not null,
  primary key (cluster_id, time)
);

-- One action on a cluster at a time; a run that has not ended is taken up again after a restart.
create table cluster_runs (
  id text primary key,
  cluster_id text not null references clusters on delete cascade,
  action text not null,
  actor_id text,
  actor text,
  began_at timestamptz not null,
  ended_at timestamptz,
  cause text
);
create unique index cluster_runs_under_way on cluster_runs (cluster_id) where ended_at is null;

create table cluster_logs (
  seq bigint generated always as identity primary key,
  cluster_id text not null references clusters on delete cascade,
  type text not null,
  time timestamptz not null,
  text text not null
);
create index cluster_logs_of_cluster on cluster_logs (cluster_id, type, seq);

alter table site_settings add column master_key_mark text;

alter table activities add column cluster_id text;
create index activities_of_cluster on activities (cluster_id, id desc) where cluster_id is not null;

-- The uid of a person's jobs on this machine; never used again for somebody else.
create table local_accounts (
  uid int generated always as identity (start with 700001) primary key,
  user_id text unique references users on delete set null
);

create table jobs (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  data jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index jobs_of_owner on jobs (owner_id, created_at desc, id desc);
create index jobs_newest on jobs (created_at desc, id desc);

create table submissions (
  id text primary key,
  job_id text not null references jobs on delete cascade,
  cluster_id text references clusters on delete set null,
  cluster_name text not null,
  user_id text references users on delete set null,
  submitted_by text not null,
  run_as_admin boolean not null,
  account text not null,
  request_key text,
  native_id text,
  state text not null,
  reason text,
  submitted_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  exit_code int,
  node_list text,
  usage jsonb,
  data jsonb not null,
  folder text not null,
  job_name text not null
);
create unique index submissions_by_key on submissions (user_id, request_key) where request_key is not null;
create index submissions_of_job on submissions (job_id, submitted_at desc, id desc);
create index submissions_under_way on submissions (cluster_id) where ended_at is null;
`
