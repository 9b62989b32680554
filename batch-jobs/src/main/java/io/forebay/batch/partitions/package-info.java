/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Partitions of a step that several processes perform together: each process claims open partitions
 * in the database of the job repository. Begin reading with {@link
 * io.forebay.batch.partitions.PartitionClaims}.
 */
@NullMarked
package io.forebay.batch.partitions;

import org.jspecify.annotations.NullMarked;
