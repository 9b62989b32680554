-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- When a pause ends, and the changed_at of the pause that it belongs to. Null: no end. An older version writes neither.
alter table forebay.service_state add column if not exists ends_at timestamp(6) with time zone;
alter table forebay.service_state add column if not exists ends_pause_of timestamp(6) with time zone;
