-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Counts and groups the open messages of a service, and the replayed ones, without reading those in another state.
create index if not exists dead_letter_open on forebay.dead_letter (service, created_at) where replayed_as is null and decision is null;
create index if not exists dead_letter_replayed on forebay.dead_letter (service, created_at) where replayed_as is not null;
create index if not exists failed_statement_open on forebay.failed_statement (service, created_at) where replayed_as is null and decision is null;
create index if not exists failed_statement_replayed on forebay.failed_statement (service, created_at) where replayed_as is not null;
