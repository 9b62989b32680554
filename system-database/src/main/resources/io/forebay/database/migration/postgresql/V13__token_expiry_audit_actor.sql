-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- When a token ends; null if it does not.
alter table forebay.token add column if not exists expires_at timestamp(6) with time zone;

-- The entries of one actor, also in a long audit.
create index if not exists audit_actor on forebay.audit (actor, id);
