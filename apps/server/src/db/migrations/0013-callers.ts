/** What is done for a person and what takes their rights away exclude each other; when a session's password was confirmed. */
export const callers = `
alter table sessions add column confirmed_at timestamptz;

-- Held alone, until the transaction ends, by whatever takes a right away from a person: before it locks anything else.
create function lock_person(person text) returns void language sql as $$
  select pg_advisory_xact_lock(1013, hashtext(person))
$$;

-- Whether a request may still do what it was allowed to. Until the transaction ends nothing takes that away: the lock is
-- held in common with other requests of the person, and PostgreSQL lets none of them overtake one that waits to hold it alone.
-- A volatile function takes a new snapshot for each of its statements, so what the lock waited for is seen, also when this
-- is part of a larger statement.
create function caller_may(request jsonb) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1013, hashtext(request->>'person'));
  return exists (
    select from users
    where users.id = request->>'person' and users.verified
      and (users.end_time is null or users.end_time > (request->>'at')::timestamptz)
      -- None of the roles that the request was decided with was lost.
      and users.role @> array(select jsonb_array_elements_text(request->'role'))
      and case when request->>'session' is not null
        then exists (select from sessions s where s.id = request->>'session' and s.user_id = users.id
          and s.expires_at > (request->>'at')::timestamptz)
        else exists (select from access_tokens t where t.id = request->>'token' and t.user_id = users.id
          and t.expires_at > (request->>'at')::timestamptz)
        end);
end $$;
`
