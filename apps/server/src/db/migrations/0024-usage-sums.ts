/** What jobs used, in pieces that each lie in one day and have one price. `spans` are prices with when each begins and ends. */
const jobPieces = (jobs: string, spans: string) => `
  select p.day, j.cluster_id, usage_who(j.user_id, j.account) as who,
    case when p.begins = 1 and cut.from_at = j.started_at then 1 else 0 end as jobs,
    p.ms * j.cores as core_ms, p.ms * j.gpus as gpu_ms, p.ms * j.nodes as node_ms,
    -- Without GPUs no price of GPUs is needed.
    p.ms * j.cores * r.per_core_hour::numeric
      + case when j.gpus = 0 then 0 else p.ms * j.gpus * r.per_gpu_hour::numeric end as price
  from ${jobs} j
  left join ${spans} r on r.cluster_id = j.cluster_id and r.size = j.size
    and r.to_at > j.started_at and (r.from_at < j.ended_at or r.from_at <= j.started_at)
  cross join lateral (select greatest(j.started_at, r.from_at) as from_at, least(j.ended_at, r.to_at) as to_at) cut
  cross join lateral usage_day_parts(cut.from_at, cut.to_at) p
  where j.ended_at is not null`

const priceSpans = (rates: string) => `
  select cluster_id, size, from_at, per_core_hour, per_gpu_hour,
    lead(from_at, 1, 'infinity') over (partition by cluster_id, size order by from_at) as to_at
  from ${rates}
  union all
  select cluster_id, size, '-infinity', null, null, min(from_at) from ${rates} group by 1, 2`

const addJobs = (jobs: string, sign: '' | '-') => `
  with spans as materialized (
    select * from usage_price_spans where cluster_id in (select cluster_id from ${jobs})
  )
  insert into usage_job_deltas (day, cluster_id, who, jobs, core_ms, gpu_ms, node_ms, price, priced, unpriced_core_ms)
  select day, cluster_id, who, ${sign}sum(jobs), ${sign}sum(core_ms), ${sign}sum(gpu_ms), ${sign}sum(node_ms),
    ${sign}coalesce(sum(price), 0), ${sign}count(price),
    ${sign}coalesce(sum(core_ms) filter (where price is null), 0)
  from (${jobPieces(jobs, 'spans')}) pieces group by 1, 2, 3;`

/** Prices were added or removed: what ran since the first of them is taken out at the old prices and put in at the new. */
const repriceJobs = (changed: string, before: string) => `
  perform from usage_feeds where cluster_id in (select cluster_id from ${changed}) order by cluster_id for update;
  with since as materialized (
    select cluster_id, size, min(from_at) as since from ${changed} group by 1, 2
  ), jobs as materialized (
    select j.* from since s join usage_jobs j on j.cluster_id = s.cluster_id and j.size = s.size
      and j.started_at >= s.since
    union all
    select j.* from since s join usage_jobs j on j.cluster_id = s.cluster_id and j.size = s.size
      and tstzrange(j.started_at, j.ended_at) @> s.since and j.started_at < s.since
  ), before as materialized (
    ${before}
  ), spans_before as materialized (${priceSpans('before')}
  ), spans_now as materialized (
    select * from usage_price_spans where cluster_id in (select cluster_id from since)
  ), pieces as (
    select 1 as sign, * from (${jobPieces('jobs', 'spans_now')}) now
    union all
    select -1, * from (${jobPieces('jobs', 'spans_before')}) before
  )
  insert into usage_job_deltas (day, cluster_id, who, jobs, core_ms, gpu_ms, node_ms, price, priced, unpriced_core_ms)
  select day, cluster_id, who, 0, 0, 0, 0, coalesce(sum(sign * price), 0), coalesce(sum(sign) filter (where price is not null), 0),
    coalesce(sum(sign * core_ms) filter (where price is null), 0)
  from pieces group by 1, 2, 3
  having coalesce(sum(sign * price), 0) <> 0 or coalesce(sum(sign) filter (where price is not null), 0) <> 0
    or coalesce(sum(sign * core_ms) filter (where price is null), 0) <> 0;`

const addMachines = (machines: string, sign: '' | '-') => `
  insert into usage_machine_deltas (day, cluster_id, kind, name, state, ms, unpriced_ms, price)
  select p.day, m.cluster_id, m.kind, m.name, m.state, ${sign}sum(p.ms),
    ${sign}sum(case when m.per_hour is null then p.ms else 0 end), ${sign}sum(p.ms * coalesce(m.per_hour, 0)::numeric)
  from ${machines} m, usage_day_parts(m.from_at, m.to_at) p
  where m.to_at is not null and p.ms > 0 group by 1, 2, 3, 4, 5;`

const triggers = (table: string, rows: string, events: ('insert' | 'update' | 'delete')[]) =>
  events
    .map((event) => {
      const tables = [
        ...(event === 'insert' ? [] : [`old table as old_${rows}`]),
        ...(event === 'delete' ? [] : [`new table as new_${rows}`]),
      ]
      return `create trigger ${table}_${event} after ${event} on ${table}
  referencing ${tables.join(' ')} for each statement execute function ${table}_changed();`
    })
    .join('\n')

const partitions = (table: string, groups: string[]) =>
  ['day', 'third', 'month']
    .flatMap((period) => groups.map((group) => `${period}${group}`))
    .map(
      (level) =>
        `create table ${table}_${level.replaceAll('-', '_')} partition of ${table} for values in ('${level}');`,
    )
    .join('\n')

/**
 * Sums at several levels, so that a year is read as quickly as a week, however many jobs, users and clusters there are.
 * Triggers write down by how much each day changed. These deltas are folded into the sums a moment later, all at once, so
 * that clusters do not wait for each other; until then readers add them themselves.
 */
export const usageSums = `
drop table usage_days, usage_machine_days, usage_cluster_days;
drop function usage_jobs_changed cascade;
drop function usage_machines_changed cascade;

-- A user of the console, or else an account on the clusters.
create function usage_who(user_id text, account text) returns text language sql immutable
  return case when user_id = '' then 'account ' || account else 'user ' || user_id end;

-- The first day of the month, of the third of a month (from the 1st, 11th and 21st), or the day itself.
create function usage_period(period text, day date) returns date language sql immutable return case period
  when 'month' then date_trunc('month', day::timestamp)::date
  when 'third' then date_trunc('month', day::timestamp)::date + 10 * least(2, (extract(day from day)::int - 1) / 10)
  else day end;

-- Prices with when each ends; before the first one none is known.
create view usage_price_spans as ${priceSpans('usage_rates')};

-- Prices are times an hour: dividing them by the milliseconds of an hour is left to the reader, so that they are exact.
create table usage_job_deltas (
  id bigint generated always as identity primary key,
  day date not null,
  cluster_id text not null,
  who text not null,
  -- That started on this day.
  jobs bigint not null,
  core_ms bigint not null,
  gpu_ms bigint not null,
  node_ms bigint not null,
  price numeric not null,
  -- How many pieces have a price.
  priced bigint not null,
  unpriced_core_ms bigint not null
);
-- The level says what is summed up: by day, third of a month or month, and by cluster, user, both or neither.
create table usage_job_sums (
  level text not null,
  period date not null,
  cluster_id text not null,
  who text not null,
  jobs bigint not null,
  core_ms bigint not null,
  gpu_ms bigint not null,
  node_ms bigint not null,
  price numeric not null,
  priced bigint not null,
  unpriced_core_ms bigint not null,
  primary key (level, period, cluster_id, who)
) partition by list (level);
${partitions('usage_job_sums', ['', '-cluster', '-user', '-cluster-user'])}
${['day', 'third', 'month']
  .flatMap((period) => [
    `create index on usage_job_sums_${period}_cluster (cluster_id, period);`,
    `create index on usage_job_sums_${period}_cluster_user (cluster_id, period);`,
    `create index on usage_job_sums_${period}_user (who, period);`,
    `create index on usage_job_sums_${period}_cluster_user (who, period);`,
  ])
  .join('\n')}

create function usage_jobs_changed() returns trigger language plpgsql as $$
begin
  -- Prices must not change meanwhile.
  if tg_op <> 'INSERT' then
    perform from usage_feeds where cluster_id in (select cluster_id from old_jobs) order by cluster_id for update;
    ${addJobs('old_jobs', '-')}
  end if;
  if tg_op <> 'DELETE' then
    perform from usage_feeds where cluster_id in (select cluster_id from new_jobs) order by cluster_id for update;
    ${addJobs('new_jobs', '')}
  end if;
  return null;
end $$;
${triggers('usage_jobs', 'jobs', ['insert', 'update', 'delete'])}

create function usage_rates_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    ${repriceJobs(
      'new_rates',
      `select r.* from usage_rates r
    where cluster_id in (select cluster_id from since) and not exists (
      select from new_rates n where (n.cluster_id, n.size, n.from_at) = (r.cluster_id, r.size, r.from_at))`,
    )}
  else
    ${repriceJobs(
      'old_rates',
      `select * from usage_rates where cluster_id in (select cluster_id from since)
    union all select * from old_rates`,
    )}
  end if;
  return null;
end $$;
${triggers('usage_rates', 'rates', ['insert', 'delete'])}
create function usage_rates_never_updated() returns trigger language plpgsql as $$
begin
  raise exception 'A price is not updated: delete it and insert another';
end $$;
create trigger usage_rates_update before update on usage_rates
  for each row execute function usage_rates_never_updated();

create table usage_machine_deltas (
  id bigint generated always as identity primary key,
  day date not null,
  cluster_id text not null,
  kind text not null,
  name text not null,
  state text not null,
  ms bigint not null,
  unpriced_ms bigint not null,
  price numeric not null
);
create table usage_machine_sums (
  level text not null,
  period date not null,
  cluster_id text not null,
  kind text not null,
  name text not null,
  state text not null,
  ms bigint not null,
  unpriced_ms bigint not null,
  price numeric not null,
  primary key (level, cluster_id, period, kind, name, state)
) partition by list (level);
${partitions('usage_machine_sums', ['', '-cluster', '-cluster-name'])}
create index usage_machine_sums_of_period on usage_machine_sums (period);

create function usage_machines_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then ${addMachines('old_machines', '-')} end if;
  if tg_op <> 'DELETE' then ${addMachines('new_machines', '')} end if;
  return null;
end $$;
${triggers('usage_machines', 'machines', ['insert', 'update', 'delete'])}

-- Adds the oldest deltas to the sums. Answers how many there were.
create function usage_fold(most int) returns int language plpgsql as $$
declare
  jobs int;
  machines int;
begin
  -- One at a time: a second call has nothing to do.
  if not pg_try_advisory_xact_lock(7305804419) then return 0; end if;
  with taken as (
    delete from usage_job_deltas where id in (select id from usage_job_deltas order by id limit most) returning *
  ), added as (
    insert into usage_job_sums as s
    select period || case when by_cluster then '-cluster' else '' end || case when by_user then '-user' else '' end,
      usage_period(period, day), case when by_cluster then cluster_id else '' end,
      case when by_user then who else '' end, sum(t.jobs), sum(core_ms), sum(gpu_ms), sum(node_ms), sum(price), sum(priced),
      sum(unpriced_core_ms)
    from taken t, (values ('day'), ('third'), ('month')) a(period), (values (true), (false)) b(by_cluster),
      (values (true), (false)) c(by_user)
    -- In the order of the key, which is faster by far.
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (level, period, cluster_id, who) do update set jobs = s.jobs + excluded.jobs,
      core_ms = s.core_ms + excluded.core_ms, gpu_ms = s.gpu_ms + excluded.gpu_ms,
      node_ms = s.node_ms + excluded.node_ms, price = s.price + excluded.price, priced = s.priced + excluded.priced,
      unpriced_core_ms = s.unpriced_core_ms + excluded.unpriced_core_ms
  ) select count(*) into jobs from taken;
  with taken as (
    delete from usage_machine_deltas where id in (select id from usage_machine_deltas order by id limit most) returning *
  ), added as (
    insert into usage_machine_sums as s
    select period || by_what, usage_period(period, day), case when by_what = '' then '' else cluster_id end,
      kind, case when by_what = '-cluster-name' then name else '' end, state, sum(ms), sum(unpriced_ms), sum(price)
    from taken, (values ('day'), ('third'), ('month')) a(period), (values (''), ('-cluster'), ('-cluster-name')) b(by_what)
    group by 1, 2, 3, 4, 5, 6 order by 1, 3, 2, 4, 5, 6
    on conflict (level, cluster_id, period, kind, name, state) do update set ms = s.ms + excluded.ms,
      unpriced_ms = s.unpriced_ms + excluded.unpriced_ms, price = s.price + excluded.price
  ) select count(*) into machines from taken;
  return jobs + machines;
end $$;

-- Whether a list of nodes, as resource managers write it (n1,n[08-12,20]), has this one.
create function usage_ran_on(node_list text, node text) returns boolean language plpgsql immutable as $$
declare
  part text;
  words text[];
  span text;
  digits text;
  first text;
begin
  if node_list = node then return true; end if;
  for part in select (regexp_matches(node_list, '(?:[^,\\[]|\\[[^\\]]*\\])+', 'g'))[1] loop
    if part = node then return true; end if;
    words := regexp_match(part, '^([^\\[]*)\\[([^\\]]*)\\]([^\\[]*)$');
    continue when words is null or not starts_with(node, words[1]) or right(node, length(words[3])) <> words[3];
    digits := substr(node, length(words[1]) + 1, greatest(0, length(node) - length(words[1]) - length(words[3])));
    continue when digits !~ '^\\d{1,9}$';
    foreach span in array string_to_array(words[2], ',') loop
      first := split_part(span, '-', 1);
      -- n[08-12] has n08 and not n8.
      continue when span !~ '^\\d{1,9}(-\\d{1,9})?$'
        or case when first ~ '^0\\d' then length(digits) <> length(first) else digits ~ '^0\\d' end;
      if digits::int between first::int and coalesce(nullif(split_part(span, '-', 2), ''), first)::int then return true; end if;
    end loop;
  end loop;
  return false;
end $$;

-- What was there before.
do $$
begin
  ${addJobs('usage_jobs', '')}
  ${addMachines('usage_machines', '')}
end $$;
`
