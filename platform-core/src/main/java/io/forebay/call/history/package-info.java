/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Where the time of a message went: a hop for each service that performed it. */
@NullMarked
package io.forebay.call.history;

import org.jspecify.annotations.NullMarked;
