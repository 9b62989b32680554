/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Lanes of a gateway: services with queues of their own that share its database by weight. */
@NullMarked
package io.forebay.jdbc.lane;

import org.jspecify.annotations.NullMarked;
