-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Find the messages that operators set aside or discarded, and count and group the open and the replayed ones.
create index if not exists dead_letter_decision on forebay.dead_letter (service, decision, created_at);
create index if not exists dead_letter_open on forebay.dead_letter (service, replayed_as, decision, created_at);
create index if not exists failed_statement_decision on forebay.failed_statement (service, decision, created_at);
create index if not exists failed_statement_open on forebay.failed_statement (service, replayed_as, decision, created_at);
