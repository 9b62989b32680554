-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Finds the messages of a service that operators set aside or discarded: few among many, and others are not in the index.
create index if not exists dead_letter_decision on forebay.dead_letter (service, decision, created_at) where decision is not null;
create index if not exists failed_statement_decision on forebay.failed_statement (service, decision, created_at) where decision is not null;
