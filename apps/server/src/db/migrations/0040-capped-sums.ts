/**
 * Sums that stop at the largest number: one cluster that reports nonsense must not keep those of all others from being
 * made.
 */
export const cappedSums = `
create function usage_capped(n numeric) returns bigint language sql immutable as
  'select greatest(-9000000000000000000, least(n, 9000000000000000000))::bigint';

create or replace function usage_fold(most int) returns int language plpgsql as $$
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
      case when by_user then who else '' end, sum(t.jobs), usage_capped(sum(core_ms)), usage_capped(sum(gpu_ms)),
      usage_capped(sum(node_ms)), sum(price), sum(priced), usage_capped(sum(unpriced_core_ms))
    from taken t, (values ('day'), ('third'), ('month')) a(period), (values (true), (false)) b(by_cluster),
      (values (true), (false)) c(by_user)
    -- In the order of the key, which is faster by far.
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (level, period, cluster_id, who) do update set jobs = s.jobs + excluded.jobs,
      core_ms = usage_capped(s.core_ms::numeric + excluded.core_ms),
      gpu_ms = usage_capped(s.gpu_ms::numeric + excluded.gpu_ms),
      node_ms = usage_capped(s.node_ms::numeric + excluded.node_ms), price = s.price + excluded.price,
      priced = s.priced + excluded.priced,
      unpriced_core_ms = usage_capped(s.unpriced_core_ms::numeric + excluded.unpriced_core_ms)
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
`
