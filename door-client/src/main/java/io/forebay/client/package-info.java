/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A client of the HTTP door: it sends statements of the catalogue, alone or as a stream, and
 * retries so that each is performed once. Begin reading with {@link io.forebay.client.DoorClient}.
 */
@NullMarked
package io.forebay.client;

import org.jspecify.annotations.NullMarked;
