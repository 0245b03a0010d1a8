export const catalogues = `
-- What a cloud itself says of its sizes and prices; it wins over the committed catalogue. MAAS has the region ''.
create table synced_sizes (
  provider text not null,
  region text not null,
  source text not null,
  synced_at timestamptz not null,
  sizes jsonb not null,
  prices jsonb not null,
  primary key (provider, region)
);

-- What machines of one's own cost; null is no price.
alter table site_settings add column price_per_core_hour double precision check (price_per_core_hour >= 0);
alter table site_settings add column price_per_gpu_hour double precision check (price_per_gpu_hour >= 0);
alter table site_settings add column prices_set_at timestamptz;
-- The cores and GPUs of all of its nodes together.
alter table clusters add column node_totals jsonb not null default '{"cores":0,"gpus":0}';
update clusters set node_totals = (
  select jsonb_build_object(
    'cores', coalesce(sum((data->>'cores')::numeric), 0), 'gpus', coalesce(sum((data->>'gpus')::numeric), 0))
  from cluster_nodes where cluster_id = clusters.id
);

-- Where machines install Torque from; null is nowhere.
alter table site_settings add column torque_source jsonb;
`
