/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Services for chunks over HTTP and over queues. To write a service, start reading with {@link
 * io.forebay.batch.remote.ListService}; to call one, with {@link
 * io.forebay.batch.remote.HttpChunks} or {@link io.forebay.batch.remote.QueueChunks}.
 */
@NullMarked
package io.forebay.batch.remote;

import org.jspecify.annotations.NullMarked;
