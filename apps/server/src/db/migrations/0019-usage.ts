/**
 * Who used what, and what it cost: jobs as the resource managers tell of them, and what machines and disks did. Nothing
 * refers to clusters or users, because usage outlives both.
 */
export const usage = `
create table usage_jobs (
  cluster_id text not null,
  native_id text not null,
  started_at timestamptz not null,
  -- Null while it runs.
  ended_at timestamptz check (ended_at >= started_at),
  -- The end is when it was last seen: the resource manager did not say.
  estimated boolean not null default false,
  -- From the resource manager's own records, which win over what its queue shows.
  recorded boolean not null default false,
  account text not null,
  -- Empty when nobody here is known to be behind the account.
  user_id text not null default '',
  submission_id text,
  name text not null,
  state text not null,
  nodes int not null,
  -- Of all of its nodes together.
  cores int not null,
  gpus int not null,
  node_list text not null default '',
  -- What its price depends on: the size of its nodes.
  size text not null default '',
  primary key (cluster_id, native_id, started_at)
);
create index usage_jobs_started on usage_jobs (started_at);
create index usage_jobs_spans on usage_jobs using gist (tstzrange(started_at, ended_at));
create index usage_jobs_of_cluster on usage_jobs (cluster_id, started_at);
create index usage_jobs_of_user on usage_jobs (user_id, started_at desc);
create index usage_jobs_of_account on usage_jobs (account, started_at desc) where user_id = '';
create index usage_jobs_running on usage_jobs (cluster_id) where ended_at is null;

create index submissions_by_native_id on submissions (cluster_id, native_id);
create index submissions_by_account on submissions (cluster_id, account) where not run_as_admin;

-- The days (UTC) that a time spans, and how much of each.
create function usage_day_parts(from_at timestamptz, to_at timestamptz)
returns table (day date, ms bigint, begins int) language sql immutable as $$
  select part.day, part.ms, part.begins from (
    select d::date as day,
      round(extract(epoch from least(to_at at time zone 'UTC', d + interval '1 day')
        - greatest(from_at at time zone 'UTC', d)) * 1000)::bigint as ms,
      (from_at at time zone 'UTC' >= d)::int as begins
    from generate_series(date_trunc('day', from_at at time zone 'UTC'), to_at at time zone 'UTC', '1 day') d
  ) part where part.ms > 0 or part.begins = 1
$$;

-- Jobs that have ended, summed up by day, so that a year is read as quickly as a week. Kept by a trigger: whoever writes
-- a job, the sums are right.
create table usage_days (
  day date not null,
  cluster_id text not null,
  size text not null,
  user_id text not null,
  account text not null,
  -- That started on this day.
  jobs bigint not null,
  core_ms bigint not null,
  gpu_ms bigint not null,
  node_ms bigint not null,
  primary key (day, cluster_id, size, user_id, account)
);

create function usage_jobs_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update usage_days d set jobs = d.jobs - o.jobs, core_ms = d.core_ms - o.core_ms,
      gpu_ms = d.gpu_ms - o.gpu_ms, node_ms = d.node_ms - o.node_ms
    from (select p.day, j.cluster_id, j.size, j.user_id, j.account, sum(p.begins) as jobs,
        sum(p.ms * j.cores) as core_ms, sum(p.ms * j.gpus) as gpu_ms, sum(p.ms * j.nodes) as node_ms
      from old_jobs j, usage_day_parts(j.started_at, j.ended_at) p where j.ended_at is not null
      group by 1, 2, 3, 4, 5) o
    where (d.day, d.cluster_id, d.size, d.user_id, d.account)
      = (o.day, o.cluster_id, o.size, o.user_id, o.account);
  end if;
  if tg_op <> 'DELETE' then
    insert into usage_days as d
    select p.day, j.cluster_id, j.size, j.user_id, j.account, sum(p.begins), sum(p.ms * j.cores),
      sum(p.ms * j.gpus), sum(p.ms * j.nodes)
    from new_jobs j, usage_day_parts(j.started_at, j.ended_at) p where j.ended_at is not null
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (day, cluster_id, size, user_id, account) do update set jobs = d.jobs + excluded.jobs,
      core_ms = d.core_ms + excluded.core_ms, gpu_ms = d.gpu_ms + excluded.gpu_ms,
      node_ms = d.node_ms + excluded.node_ms;
  end if;
  return null;
end $$;
create trigger usage_jobs_inserted after insert on usage_jobs
  referencing new table as new_jobs for each statement execute function usage_jobs_changed();
create trigger usage_jobs_updated after update on usage_jobs
  referencing old table as old_jobs new table as new_jobs for each statement execute function usage_jobs_changed();
create trigger usage_jobs_deleted after delete on usage_jobs
  referencing old table as old_jobs for each statement execute function usage_jobs_changed();

-- What a core and a GPU of a cluster cost an hour, from when on; null is unknown.
create table usage_rates (
  cluster_id text not null,
  size text not null,
  from_at timestamptz not null,
  per_core_hour double precision,
  per_gpu_hour double precision,
  primary key (cluster_id, size, from_at)
);

-- What machines and disks did, and what they cost meanwhile. A change of state or price ends one row and begins another.
create table usage_machines (
  cluster_id text not null,
  kind text not null check (kind in ('machine', 'disk', 'other')),
  name text not null,
  -- Disks are idle while their cluster runs, and stopped while it is stopped.
  state text not null check (state in ('busy', 'idle', 'stopped')),
  from_at timestamptz not null,
  -- Null for as long as it stays so.
  to_at timestamptz check (to_at >= from_at),
  per_hour double precision,
  primary key (cluster_id, kind, name, from_at)
);
create unique index usage_machines_now on usage_machines (cluster_id, kind, name) where to_at is null;
create index usage_machines_spans on usage_machines using gist (tstzrange(from_at, to_at));

create table usage_machine_days (
  day date not null,
  cluster_id text not null,
  kind text not null,
  name text not null,
  state text not null,
  ms bigint not null,
  unpriced_ms bigint not null,
  price double precision not null,
  primary key (cluster_id, day, kind, name, state)
);
-- The same for all machines and all disks of a cluster together.
create table usage_cluster_days (
  day date not null,
  cluster_id text not null,
  kind text not null,
  state text not null,
  ms bigint not null,
  unpriced_ms bigint not null,
  price double precision not null,
  primary key (day, cluster_id, kind, state)
);

-- A row that has ended is never changed again.
create function usage_machines_changed() returns trigger language plpgsql as $$
begin
  with ended as (
    select p.day, m.cluster_id, m.kind, m.name, m.state, sum(p.ms)::bigint as ms,
      sum(case when m.per_hour is null then p.ms else 0 end)::bigint as unpriced_ms,
      sum(p.ms / 3600000.0 * coalesce(m.per_hour, 0)) as price
    from new_machines m, usage_day_parts(m.from_at, m.to_at) p where m.to_at is not null
    group by 1, 2, 3, 4, 5
  ), by_name as (
    insert into usage_machine_days as d (day, cluster_id, kind, name, state, ms, unpriced_ms, price)
    select * from ended order by 1, 2, 3, 4, 5
    on conflict (cluster_id, day, kind, name, state) do update set ms = d.ms + excluded.ms,
      unpriced_ms = d.unpriced_ms + excluded.unpriced_ms, price = d.price + excluded.price
  )
  insert into usage_cluster_days as d
  select day, cluster_id, kind, state, sum(ms), sum(unpriced_ms), sum(price) from ended
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (day, cluster_id, kind, state) do update set ms = d.ms + excluded.ms,
    unpriced_ms = d.unpriced_ms + excluded.unpriced_ms, price = d.price + excluded.price;
  return null;
end $$;
create trigger usage_machines_inserted after insert on usage_machines
  referencing new table as new_machines for each statement execute function usage_machines_changed();
create trigger usage_machines_updated after update on usage_machines
  referencing new table as new_machines for each statement execute function usage_machines_changed();

-- How far the records of each cluster reach, and what it is called, also when it is gone.
create table usage_feeds (
  cluster_id text primary key,
  name text not null,
  provider text not null,
  owner_id text not null,
  -- When its queue and nodes were last read.
  seen_at timestamptz not null,
  -- Until when the resource manager's own records were read; null where it keeps none.
  harvested_to timestamptz,
  harvest_error text
);

-- When records are incomplete, and why.
create table usage_gaps (
  cluster_id text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  reason text not null,
  primary key (cluster_id, from_at)
);
`
