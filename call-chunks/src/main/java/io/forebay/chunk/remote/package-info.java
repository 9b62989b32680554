/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Services for chunks over HTTP and over queues. To write a service, start reading with {@link
 * io.forebay.chunk.remote.ListService}; to call one, with {@link
 * io.forebay.chunk.remote.HttpChunks} or {@link io.forebay.chunk.remote.QueueChunks}.
 */
@NullMarked
package io.forebay.chunk.remote;

import org.jspecify.annotations.NullMarked;
