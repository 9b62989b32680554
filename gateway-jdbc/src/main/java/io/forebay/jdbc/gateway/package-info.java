/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The service that performs statements, and its client. Begin with {@link
 * io.forebay.jdbc.gateway.JDBCService}.
 */
@NullMarked
package io.forebay.jdbc.gateway;

import org.jspecify.annotations.NullMarked;
