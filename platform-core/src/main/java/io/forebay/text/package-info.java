/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Durations, sizes, numbers and lines as people read them, in the messages and logs of all
 * packages.
 */
@NullMarked
package io.forebay.text;

import org.jspecify.annotations.NullMarked;
