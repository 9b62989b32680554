/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The files of one partition: frames, positions, what is forced, healing after a loss of power. */
@NullMarked
package io.forebay.chronicle.file;

import org.jspecify.annotations.NullMarked;
