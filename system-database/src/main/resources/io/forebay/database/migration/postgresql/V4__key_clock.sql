-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- How long the gateway has run, as a time that no clock can move. Idempotency keys age by it.
alter table forebay.progress add column if not exists key_clock timestamp(6) with time zone;
