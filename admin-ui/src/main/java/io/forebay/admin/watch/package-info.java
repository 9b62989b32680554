/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Samples services and the volume once a second and derives what an operator sees: figures, alerts
 * and sentences.
 */
@NullMarked
package io.forebay.admin.watch;

import org.jspecify.annotations.NullMarked;
