/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The core in a Spring application: auto-configuration, properties, metrics, health. */
@NullMarked
package io.forebay.spring;

import org.jspecify.annotations.NullMarked;
