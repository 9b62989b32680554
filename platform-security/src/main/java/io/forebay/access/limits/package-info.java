/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** How many wrong tokens and passwords may be sent from a network and for a user. */
@NullMarked
package io.forebay.access.limits;

import org.jspecify.annotations.NullMarked;
