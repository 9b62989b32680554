/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

/** What all queues of one backend have in common. */
record Settings(ChronicleBackend.Options options, Host host, CycleClock clock, DiskSpace space) {}
