/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Gateways in a Spring application: auto-configuration and properties. */
@NullMarked
package io.forebay.jdbc.spring;

import org.jspecify.annotations.NullMarked;
