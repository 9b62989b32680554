/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.UUID;

/**
 * Identifies an accepted statement. The result can be found by it for as long as results are kept,
 * also after a restart.
 *
 * @param partition of the in-queue, and of the out-queue
 * @param position in the in-queue
 * @param id of the message
 */
public record Receipt(int partition, long position, UUID id) {}
